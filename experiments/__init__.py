"""The experiments: what fills the page of results, some figures, and the page Try it.

    make measure                           lists them
    make measure NAME=copying WRITE=1      runs one, and writes its table

An experiment is a file with one of two functions, whose keyword arguments are its options:

rows(seed)   yields the title and the numbers of each row. COLUMNS says what the numbers
             are, and how many digits are printed. The table has the name of the file, and
             the mean and the spread over SEEDS seeds, three if not said otherwise.
tables()     yields the name and the text of each table. With a path for a name, the text
             is a file of its own. A third value says where the numbers come from, if that
             is not the command.

__main__.py runs them, results.py makes and writes tables, chapter.py measures what the
cells of a notebook define, and models.py has models that several experiments train.
"""
