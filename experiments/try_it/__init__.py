"""The models of the page Try it: how they are trained, stored and measured.

They are experiments like the others, and write the files that the page reads as well. Each
file is a script that sets `d2lModels.NAME`, with 8-bit weights, which
d2lmini/data/forward.js reads. Training is not reproducible to the bit, so the files are
committed, and the book is built from them.
"""
