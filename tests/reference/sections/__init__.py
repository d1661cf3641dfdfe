"""One module for each group of reference files; make_reference.py runs them."""
