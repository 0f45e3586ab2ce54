"""Cases that read: views, lists, search, comparisons, followers and the page."""
