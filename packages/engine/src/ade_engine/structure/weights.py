"""Every constant of the first pass, by the rule that uses it. Positive is evidence for, negative against."""

from __future__ import annotations

from typing import Final

# Regions: does a gutter part two tables? Each rule adds to a score that must reach the threshold.
SPLIT_THRESHOLD: Final = 1.5
SPLIT_GUTTER_WIDTH: Final = 1.2
SPLIT_DRAWN: Final = 4.0
SPLIT_SAME_ROWS: Final = -1.0
SPLIT_OTHER_ROWS: Final = 1.5
SPLIT_KEY: Final = 2.8
SPLIT_NO_KEY: Final = -1.2
SPLIT_REPEATED_HEADER: Final = 4.0
SPLIT_MANY: Final = -0.5
SPLIT_SINGLE_COLUMN: Final = -1.0
SPLIT_SIDE_NOTE: Final = 0.8
SPLIT_ENDS_APART: Final = 3.5

# Regions: the measures behind these rules.
SPLIT_ROWS: Final = 3
APART_ROWS: Final = 3
SPREAD_CELLS: Final = 2
SAME_ROWS: Final = 0.9
OTHER_ROWS: Final = 0.6
DRAWN_SHARE: Final = 0.7
KEY_CELLS: Final = 2
KEY_SHARE: Final = 0.8
KEY_DISTINCT: Final = 0.8
HEADER_LOOK: Final = 8
REPEATED_SHARE: Final = 0.75

# Rows: how far a judgement looks. What lies closer to the end of a window than SIGHT is judged again, with more rows.
SIGHT: Final = 24
LOOK_BELOW: Final = 10
LOOK_WIDTH: Final = 6
BREAK_GAP: Final = 3
BREAK_ROWS: Final = {1: 4, 2: 3, 3: 2}  # how many rows are enough to stop at a gap of 1, 2 or 3 blank rows

# Rows: a header stands above what it names, differs from it, and names every column.
HEADER_BASE: Final = -0.6
HEADER_TYPE_CHANGE: Final = 3.2
HEADER_TEXT: Final = 0.8
HEADER_NUMBERS: Final = -2.5
HEADER_COVERAGE: Final = 1.6
HEADER_UNIQUE: Final = 0.4
HEADER_SEEN: Final = -2.5
HEADER_ALIKE: Final = 0.6
HEADER_LONG: Final = -1.2
HEADER_LONE: Final = -1.6
HEADER_WORDS: Final = 0.8
HEADER_TOP: Final = 0.5
HEADER_MIDST: Final = -2.0
HEADER_UNDER_NUMBERS: Final = -2.0
HEADER_SECOND: Final = -1.2
HEADER_PART: Final = 2.6
HEADER_AGAIN: Final = 4.0
HEADER_NAMED: Final = 3.0
HEADER_STYLE: Final = 1.2
HEADER_MARKS: Final = -0.6
HEADER_CAPTION: Final = -5.0
HEADER_TOTAL: Final = -1.0
HEADER_COUNTS: Final = 2.5
HEADER_CORNER: Final = 3.0

# Rows: the measures behind these rules.
HEADER_TEXT_SHARE: Final = 0.7
MOSTLY: Final = 0.6
REPEATING: Final = 0.7
EMPHASIS: Final = 0.5
STACK_CHANGE: Final = 1.0
STACK_NUMBERS: Final = 0.3
TITLE_SPAN: Final = 0.7
AGAIN_DISTANCE: Final = 2
AGAIN_CELLS: Final = 3
AGAIN_LOOK: Final = 20
NAMES_LOOK: Final = 30
NAMES_FEWEST: Final = 2
COUNT_CELLS: Final = 4
COUNT_DIGITS: Final = 5
PLAIN: Final = 0.75
PLAIN_ENDS: Final = 12
CORNER_LOOK: Final = 4

# Rows: labels and what they label, above a table.
CAPTION_CELLS: Final = 8
FULL_CELLS: Final = 5
PREAMBLE_LINES: Final = 12
PREAMBLE_NUMBERS: Final = 2
PREAMBLE_ALIKE: Final = 4

# Rows: data looks like its neighbours.
DATA_VALUES: Final = 1.0
DATA_TEXT: Final = 0.3
DATA_ALIKE: Final = 1.6
DATA_LONE: Final = -1.4
DATA_CONTINUED: Final = 2.2
DATA_NAMED_ONLY: Final = 2.6
DATA_TOTAL: Final = -0.8
DATA_SPREAD: Final = -1.0
DATA_LIST: Final = 0.8
DATA_PROSE: Final = -1.2

# Rows: titles stand alone, above.
TITLE_LONE: Final = 1.0
TITLE_SPREAD: Final = 0.6
TITLE_WIDE: Final = -1.4
TITLE_FEW: Final = 0.2
TITLE_CAPTION: Final = 1.0
TITLE_PREAMBLE: Final = 2.0
TITLE_NUMBERS: Final = -0.6
TITLE_TOP: Final = 0.5
TITLE_WIDER_BELOW: Final = 0.3
TITLE_INSIDE: Final = -1.4
LIST_LONE: Final = 0.2

# Rows: a group row is a label among data.
GROUP_LONE: Final = 0.7
GROUP_NOT_LONE: Final = -3.0
GROUP_AHEAD: Final = 0.7
GROUP_NOTHING_AHEAD: Final = -1.5
GROUP_LONG: Final = -1.0
GROUP_INSIDE: Final = -1.4
GROUP_NUMBER: Final = -1.5
GROUP_NOTE: Final = -1.0

# Rows: totals say so, or hold numbers under numbers with the names left blank.
TOTAL_WORD: Final = 2.2
TOTAL_AMID: Final = -0.6
TOTAL_NO_WORD: Final = -3.0
TOTAL_UNLABELLED: Final = 4.0
TOTAL_NUMBERS: Final = 0.8
TOTAL_NO_NUMBERS: Final = -2.5
TOTAL_ALIKE: Final = 0.8
TOTAL_SIGHT: Final = 3
TOTAL_RECORD: Final = 8.0

# Rows: notes.
NOTE_LONE: Final = 0.7
NOTE_WIDE: Final = -1.5
NOTE_FEW: Final = 0.0
NOTE_WORD: Final = 1.2
NOTE_LONG: Final = 0.8
NOTE_CAPTION: Final = 1.6
NOTE_NUMBERS: Final = -0.6
NOTE_CONTINUED: Final = -0.8
NOTE_NOTHING_AHEAD: Final = 0.6
NOTE_NUMBERED: Final = 2.6
NOTE_UNLIKE: Final = 0.4

# Rows: what a user's rule must weigh to have a row left out.
BLANK_BY_RULE: Final = 1.0

# In a block without looks, more lines of several cells than these are never all titles and notes.
LOST_LINES: Final = 12

# Blocks of at most this many lines without looks are judged by hand: labelled sheets hold too few of them.
SMALL_LINES: Final = 15

# Transitions: what a label pays for following another, adjacent or after blank rows. What is not listed is impossible.
ADJACENT: Final = {
    ("start", "title"): 0.0, ("start", "header"): 0.0, ("start", "data"): -1.5, ("start", "note"): -0.5,
    ("title", "title"): 0.0, ("title", "header"): 0.0, ("title", "data"): -1.8, ("title", "note"): -0.5,
    ("header", "header"): -0.4, ("header", "data"): 0.0, ("header", "group"): 0.0, ("header", "total"): -1.0,
    ("header", "note"): -2.0, ("header", "title"): -3.0,
    ("data", "data"): 0.0, ("data", "group"): 0.0, ("data", "total"): 0.0, ("data", "note"): -0.3,
    ("data", "title"): -1.5, ("data", "header"): -2.5,
    ("group", "data"): 0.0, ("group", "group"): -0.5, ("group", "total"): -0.5, ("group", "note"): -1.5,
    ("group", "header"): -2.5, ("group", "title"): -2.5,
    ("total", "data"): -0.3, ("total", "total"): 0.0, ("total", "group"): 0.0, ("total", "note"): 0.0,
    ("total", "title"): -1.0, ("total", "header"): -1.5,
    ("note", "note"): 0.0, ("note", "title"): -0.5, ("note", "header"): -1.2, ("note", "data"): -2.0,
    ("note", "group"): -1.5, ("note", "total"): -2.0,
}  # fmt: skip
AFTER_GAP: Final = ADJACENT | {
    ("title", "data"): -2.0, ("header", "header"): -3.5, ("header", "data"): -0.2, ("header", "group"): -0.2,
    ("header", "note"): -2.0, ("header", "title"): -1.5,
    ("data", "data"): -0.1, ("data", "group"): 0.2, ("data", "total"): 0.2, ("data", "note"): 0.3,
    ("data", "title"): 0.0, ("data", "header"): -0.6, ("group", "header"): -2.0,
    ("total", "data"): -0.3, ("total", "note"): 0.3, ("total", "title"): 0.3, ("total", "header"): 0.0,
    ("note", "title"): 0.0, ("note", "header"): -0.3,
}  # fmt: skip
END: Final = {"header": -1.5, "title": -1.0, "group": -2.0, "start": 0.0}
GAP_UNLIKE: Final = -1.5
GAP_ROW: Final = -0.15
GAP_ROWS: Final = 5
HEADER_UNLIKE: Final = -1.5
AFTER_PAGE: Final = -5.0

# Tables: what is one at all.
LIST_ROWS: Final = 3
LIST_GAPS: Final = 0.2
HEADER_ONLY_CELLS: Final = 2
HEADERLESS_ROWS: Final = 2
PROSE_ROWS: Final = 8

# Prose: what is a sentence or a part of one.
PHRASE_WORDS: Final = 3
RUNNING_WORDS: Final = 5
SMALL_WORDS: Final = 0.34
SMALL_RUNNING: Final = 0.5
SENTENCE_LETTERS: Final = 6

# Prose: which share of it makes rows text and no table.
PROSE_LIST: Final = 0.4
PROSE_LINES: Final = 0.5
PROSE_PAIRS: Final = 0.6
PROSE_SIGNS: Final = 0.8
PROSE_NUMBERED: Final = 0.3
PROSE_LABELS: Final = 50
NAME_WORDS: Final = 2

# Prose: sentences in a csv file are cut at their commas: rows of any length, most cells go on in small letters.
SPLIT_PROSE_SHARE: Final = 0.5
SPLIT_PROSE_USUAL: Final = 0.7
SPLIT_PROSE_EVEN: Final = 0.8
SPLIT_PROSE_RAGGED: Final = 0.3
SPLIT_PROSE_LEAST: Final = 0.25
SPLIT_PROSE_VALUES: Final = 0.3
SPLIT_PROSE_FEW: Final = 4
SPLIT_PROSE_WORDS: Final = 2.5
SPLIT_PROSE_ROWS: Final = 8
SPLIT_PROSE_HOLES: Final = 0.1
SPLIT_PROSE_MARKS: Final = 0.05
SPLIT_PROSE_STOPS: Final = 1.2

# Tables: which columns and rows belong to one.
UNHEADED_SHARE: Final = 0.5
BESIDE_SHARE: Final = 0.15
LABEL_COLUMNS: Final = 5
RESUME_ROWS: Final = 3
RESUME_SHARE: Final = 0.7

# Headers: how many rows below the first are weighed as the header instead.
HEADER_CHOICES: Final = 6

# Following a table: when the fast test may go on, and when it takes over again.
OPEN_ROWS: Final = 8
BRIDGED_GAP: Final = 2
