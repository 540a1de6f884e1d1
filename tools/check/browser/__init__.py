"""Report pages in headless Chromium."""
