"""The experiments of the page of results: what is trained, and the rows of its table.

Each module has COLUMNS, the columns of its table with the digits after the decimal point,
and a generator rows(seed, root), which yields the title and the values of each row.
"""
