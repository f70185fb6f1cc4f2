"""The report's figures: one file a figure, each from a group of runs to what is drawn."""
