"""From runs to what they say: comparison, figures, words and one page."""
