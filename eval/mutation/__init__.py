"""Does a wrong answer lose points? Known defects are planted in good recorded answers and have to be noticed.

Nothing that grades may import this package (import-linter), and nothing planted carries a mark.
"""
