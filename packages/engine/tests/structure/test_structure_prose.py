"""Text that somebody wrote into cells is no table, and lists and small tables of texts remain tables."""

from __future__ import annotations

import csv

import pytest
from sheets_in_memory import INVOICE_HEADER, invoices, sheet, table, tables

from ade_engine.evidence import Contribution
from ade_engine.structure import find_tables

pytestmark = pytest.mark.req("E3")


def lines(text):
    return [[line] if line else [] for line in text.split("\n")]


README = """Budget tool
Version 3
How to use this file
1. Open the sheet Input
2. Fill in the yellow cells
3. Press the button Calculate
Known problems
The button does not work on some machines
Old printers print only one page
Contact
Finance team, second floor"""
MARKDOWN = """# Widget
A small library for widgets.
## Install
Run the installer
## Use
Import it and call its main function
## Licence
Free"""
WRAPPED = """When the figures of a branch are late the
office asks for them once and after that they
are estimated from the figures of last year
until the true ones arrive or the quarter ends"""
POEM = """The rain came down on Monday night
and washed the road away
We sat and watched the failing light
and waited for the day"""
GERMAN = """Liebe Kolleginnen und Kollegen,
anbei kommt die Auswertung der Zahlen
für das vergangene Quartal.
Bitte prüft die Angaben bis zum Freitag.
Rückfragen beantworten wir gern.
Mit freundlichen Grüßen
Eure Buchhaltung"""
RUSSIAN = """Инструкция
Заполните только жёлтые ячейки.
Сохраните формулы без изменений.
Отправьте файл до пятого числа.
Спасибо"""
CHINESE = "使用说明\n请在黄色单元格中填写数据。\n不要修改公式。\n每月五日前提交。"
JAPANESE = "黄色のセルだけに入力してください。\n数式を変更しないでください。\n質問は経理部までお願いします。\nよろしく"


@pytest.mark.parametrize("text", [README, MARKDOWN, WRAPPED, POEM, GERMAN, RUSSIAN, CHINESE, JAPANESE])
def test_text_written_line_by_line_is_no_table(text):
    assert tables(*lines(text)) == []


TERMS = [
    ["1", "Scope"],
    ["1.1", "These terms apply to all orders that are placed with the company in writing or by telephone."],
    ["1.2", "Other terms apply only if the company has agreed to them in writing."],
    ["2", "Prices"],
    ["2.1", "Prices do not include tax, packing and freight unless stated otherwise."],
    ["2.2", "Prices are valid for thirty days."],
]
PARAGRAPHS = [
    ["1.", "Scope"],
    [None, "These terms apply to all orders that are placed with the company in writing."],
    [],
    ["2.", "Prices"],
    [None, "Prices do not include tax, packing and freight unless stated otherwise."],
]
BULLETS = [
    ["Instructions"],
    [],
    ["•", "Open the file and enable macros."],
    ["•", "Enter your name in the first cell"],
    ["•", "Save the file under a new name, in the folder of your branch."],
]
STEPS = [
    ["Step 1", "Open the sheet Input and fill in all the yellow cells of your branch."],
    ["Step 2", "Check the totals against the ledger. They must agree."],
    ["Note:", "Files that arrive later are not taken into account."],
]
LABELS = [
    ["Input", "Enter the figures of the month here. Only yellow cells may be changed."],
    ["Rates", "Exchange rates, taken from the central bank on the last day of the month."],
    ["Report", "The printed report. Nothing is entered here."],
]


@pytest.mark.parametrize("cells", [TERMS, PARAGRAPHS, BULLETS, STEPS, LABELS])
def test_paragraphs_beside_numbers_or_labels_are_no_table(cells):
    assert tables(*cells) == []


LETTER = """Dear all,
as you know, the move to the new office takes place next week, so please pack your things by Friday.
Boxes, tape and labels are in the kitchen, and there are more in the basement.
The movers come on Saturday, at eight, and need about six hours.
If you have questions, ask Tom, Ann or me."""


def test_a_letter_whose_sentences_are_cut_at_their_commas_is_no_table():
    assert tables(*csv.reader(LETTER.splitlines())) == []
    assert tables(*csv.reader(LETTER.splitlines(), skipinitialspace=True)) == []


def test_text_cut_at_its_spaces_is_no_table():
    words = [line.split() for line in (LETTER + "\n" + WRAPPED + "\n" + LETTER).splitlines()]
    assert tables(*words) == []


def test_a_table_below_text_is_found_and_the_text_is_not():
    found = table(*lines(README), [], INVOICE_HEADER, *invoices(5))
    assert (found.range, found.header_rows) == ("A13:D18", (13,))


COMMENTS = """Comment
The staff were very friendly
Too expensive for what it is
I would come again.
The room was cold and the food was late, we left early.
Nothing to complain about."""


@pytest.mark.parametrize(
    "text",
    [
        "Email\na@example.org\nbob@example.org\nkim@example.org",
        "Country\nFrance\nUnited Kingdom\nBosnia and Herzegovina\nTrinidad and Tobago\nSpain",
        "Job title\nHead of Sales\nAssistant to the Director\nClerk\nVice President of Operations",
        "Books\nThe Old Man and the Sea\nWar and Peace\nA Tale of Two Cities\nOne Hundred Years of Solitude",
        "Company\nSmith & Sons Inc.\nBank of the North Corp.\nAcme Trading Co. Ltd.",
        "姓名\n王伟\n李娜\n张敏",
        COMMENTS,
    ],
)
def test_a_list_under_a_header_is_a_table(text):
    found = table(*lines(text))
    assert (found.header_rows, found.data_rows) == ((1,), tuple(range(2, len(text.splitlines()) + 1)))


@pytest.mark.parametrize(
    "cells",
    [
        [["Term", "Meaning"], ["Accrual", "Income earned but not yet received."], ["Bond", "A loan that is traded."]],
        [["Respondent", "Answer"], [1, "The staff were very friendly and helped us find everything."], [2, "Too dear"]],
        [["ID", "Issue", "Status"], ["1", "The page does not load.", "open"], ["2", "Wrong total shown.", "closed"]],
        [["name", "city"], ["ann", "paris"], ["bob", "rome"]],
        [["first name", "last name", "date of birth"]],
        [["name", "date of birth"]],
    ],
)
def test_small_tables_of_texts_are_tables(cells):
    assert table(*cells).header_rows == (1,)


def test_codes_or_dates_beside_sentences_are_records():
    codes = [["A-100", "Hex bolt, zinc plated, for outdoor use as well."], ["A-101", "A washer that does not rust."]]
    dates = [["2024-01-05", "Corrected the tax rate."], ["2024-02-11", "One more branch was added to the report."]]
    assert [len(tables(*cells)) for cells in (codes, dates)] == [1, 1]


def test_baskets_of_different_size_are_data():
    goods = ["whole milk", "rye bread", "butter", "white rice", "red apples"]
    rows = [goods[start:] + goods[: start * 2 % 3] for start in range(5)] * 4
    assert len(tables(*rows)) == 1


def test_a_users_rule_makes_text_a_table():
    def rule(context):
        return {"header": [Contribution("mine", 5.0)]} if context.row.number == 1 else {}

    [found] = find_tables(sheet(*lines(RUSSIAN)), evidence=rule)
    assert found.header_rows == [1]


def test_header_rows_with_many_notes_between_them_are_weighed():
    label_of = {1: "header", 14: "header", **dict.fromkeys(range(2, 14), "note")}

    def rule(context):
        return {label_of.get(context.row.number, "data"): [Contribution("mine", 50.0)]}

    cells = [["Name", "City"], *([["note"]] * 12), ["First", "Second"], ["Ann", "Rome"], ["Bob", "Oslo"]]
    [found] = find_tables(sheet(*cells), evidence=rule)
    assert found.header_rows == [1, 14]
