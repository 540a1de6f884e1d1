"""Writers of the goldens that the tests read."""
