"""Tensor Core use of recorded GPU profiles: readers, kernel classifier, shares."""
