import type { VirtualItem } from "@tanstack/react-virtual";
import type { ArtifactTable, Issue } from "~/api/artifact";
import type { CellRow, CellValue } from "~/api/types";
import { cellName, columnLetters, isInside, parseRange, type Cell } from "~/logic/a1";
import { cellText } from "~/logic/changes";
import { meaningOf } from "~/logic/explain";
import { directionOf } from "~/logic/gridView";
import { spillOf } from "~/logic/widths";
import classes from "./CellGrid.module.css";
import type { Blocks } from "./cellBlocks";
import type { CellChoice } from "./cellChoice";
import { CellEditor } from "./CellEditor";
import { ColumnMenu, type Arrangement } from "./ColumnMenu";
import type { CellEditing, CellEdits, CorrectedCell } from "./cellEdits";

export const ROW = 27;
export const EDGE = 58;

export interface GridView {
  rows: VirtualItem[];
  columns: VirtualItem[];
  height: number;
  width: number;
  scrollTo: (cell: Cell) => void;
}

interface Props {
  view: GridView;
  blocks: Blocks;
  widths: number[];
  /** Where each column begins, and behind them where the last one ends. */
  starts: number[];
  tables: ArtifactTable[];
  hasOutlines: boolean;
  issues: Map<string, Issue[]>;
  choice: CellChoice;
  /** The row that stays visible above the others, and whether the first column does. */
  headerRow: number | null;
  isKeyFrozen?: boolean | undefined;
  arrangement?: Arrangement | undefined;
  edits?: CellEdits | undefined;
  editing: CellEditing | null;
}

/** What is drawn of a sheet: the letters above, the rows on the screen, and the outlines of tables over them. */
export function Canvas(props: Props) {
  const { view, blocks, starts, tables } = props;
  const hasOutlines = props.hasOutlines && !props.isKeyFrozen; // a column that stays would cover their left edge
  return (
    <div className={classes.canvas} style={{ height: view.height, width: view.width }} role="rowgroup">
      <Letters {...props} />
      <FrozenRow {...props} />
      {view.rows.map((row) => (
        <GridRow key={row.index} {...props} row={row} held={blocks.rows.get(row.index + 1)} />
      ))}
      {hasOutlines && tables.map((table) => <Frame key={table.range} table={table} starts={starts} />)}
    </div>
  );
}

/** The letters of the columns; where rows can be sorted, what does it. */
function Letters({ view, blocks, widths, arrangement, isKeyFrozen }: Props) {
  const filled = blocks.rows.get(1)?.cells.length ?? 0;
  return (
    <div className={classes.top} style={{ width: view.width }} role="row">
      <div className={classes.corner} role="columnheader" aria-label="Row" />
      {drawnColumns(view.columns, widths, isKeyFrozen).map(({ index, start, size }) => {
        const isFrozen = isKeyFrozen === true && index === 0;
        return (
          <div
            key={index}
            className={classes.letter}
            data-frozen={isFrozen || undefined}
            style={{ left: isFrozen ? EDGE : start, width: size }}
            role="columnheader"
            aria-sort={arrangement && directionOf(arrangement.view, index + 1)}
          >
            {arrangement && index < filled ? (
              <ColumnMenu {...arrangement} column={index + 1} />
            ) : (
              columnLetters(index + 1)
            )}
          </div>
        );
      })}
    </div>
  );
}

/** The columns on the screen; the first is among them if it is frozen. */
function drawnColumns(columns: VirtualItem[], widths: number[], isKeyFrozen: boolean | undefined): RowPlace[] {
  if (!isKeyFrozen || columns.length === 0) return columns;
  return [{ index: 0, start: 0, size: widths[0] ?? 0 }, ...columns.filter((one) => one.index > 0)];
}

const NO_CELLS: CellRow["cells"] = [];

/** The header of the table whose rows are on the screen. */
function FrozenRow(props: Props) {
  const { blocks, headerRow, view } = props;
  if (headerRow === null) return null;
  const row = { index: headerRow - 1, start: 0, size: ROW };
  return (
    <div className={classes.frozen} style={{ width: view.width }}>
      <GridRow {...props} row={row} held={blocks.rows.get(headerRow)} />
    </div>
  );
}

type RowPlace = Pick<VirtualItem, "index" | "start" | "size">;

function GridRow({ row, held, ...grid }: Props & { row: RowPlace; held: CellRow | undefined }) {
  const drawn = drawnColumns(grid.view.columns, grid.widths, grid.isKeyFrozen);
  return (
    <div role="row" aria-rowindex={row.index + 1} className={classes.row} style={{ top: row.start, height: row.size }}>
      <div className={classes.number} role="rowheader">
        {held?.number ?? row.index + 1}
      </div>
      {drawn.map((column) => (
        <GridCell
          key={column.index}
          {...grid}
          column={column}
          isFrozen={grid.isKeyFrozen === true && column.index === 0}
          cell={{ row: row.index + 1, column: column.index + 1 }}
          cells={held?.cells ?? NO_CELLS}
          isHidden={held?.is_hidden ?? false}
          sheetRow={held?.number ?? row.index + 1}
        />
      ))}
    </div>
  );
}

interface CellProps extends Props {
  column: RowPlace;
  isFrozen: boolean;
  cell: Cell;
  cells: CellRow["cells"];
  isHidden: boolean;
  /** The row of the sheet; another one than that of the cell where rows are sorted. */
  sheetRow: number;
}

function GridCell(props: CellProps) {
  const { tables, issues, choice, column, isFrozen, cell, cells, isHidden, edits, editing, sheetRow } = props;
  const name = cellName(cell);
  const value = cells[column.index] ?? null;
  const meant = { ...cell, row: sheetRow };
  const corrected = edits?.correctedTo(meant) ?? null;
  const isOpen = editing !== null && editing.open !== null && cellName(editing.open.cell) === name;
  const spill = corrected || isOpen ? 0 : spillOf(cells, column.index, props.widths);
  const meaning = meaningOf(tables, cell);
  const found = issues.get(cellName(meant));
  const isSelected = choice.range !== null && isInside(choice.range, cell);
  return (
    <div
      id={`cell-${name}`}
      role="gridcell"
      aria-selected={isSelected}
      data-ranged={(choice.corner !== null && isSelected) || undefined}
      className={classes.cell}
      data-part={meaning?.part}
      data-unmapped={(meaning?.part === "data" && meaning.column?.target === null) || undefined}
      data-issue={found?.[0]?.severity}
      data-type={value?.type}
      data-spill={spill > column.size || undefined}
      data-hidden={isHidden || undefined}
      data-frozen={isFrozen || undefined}
      data-corrected={corrected !== null || undefined}
      title={titleOf(value, found, corrected)}
      style={{ left: isFrozen ? EDGE : column.start, width: column.size }}
      onClick={(event) => choice.click(event, cell)}
      onDoubleClick={() => editing?.start(cell)}
    >
      {isOpen ? (
        <OpenCell editing={editing} name={cellName(meant)} />
      ) : (
        <CellContent value={value} corrected={corrected} spill={spill > column.size ? spill : 0} />
      )}
    </div>
  );
}

function OpenCell({ editing, name }: { editing: CellEditing; name: string }) {
  const { open, finish, cancel } = editing;
  return open && <CellEditor name={name} text={open.text} onFinish={finish} onCancel={cancel} />;
}

interface ContentProps {
  value: CellValue | null;
  corrected: CorrectedCell | null;
  /** The width of a text that continues over empty cells; 0 for others. */
  spill: number;
}

function CellContent({ value, corrected, spill }: ContentProps) {
  if (corrected)
    return (
      <>
        {corrected.text}
        <span className="only-sr">
          {corrected.text === "" ? "empty" : ""} ({corrected.by})
        </span>
      </>
    );
  if (spill === 0) return cellText(value);
  return (
    <span className={classes.spill} style={{ width: spill - 1 }}>
      {cellText(value)}
    </span>
  );
}

function titleOf(
  value: CellValue | null,
  issues: Issue[] | undefined,
  corrected: CorrectedCell | null,
): string | undefined {
  const problems = issues?.map((issue) => issue.message).join("; ");
  const was = corrected && `${corrected.text || "empty"} (${corrected.by}; was ${cellText(value) || "empty"})`;
  return [was ?? cellText(value), problems].filter(Boolean).join(" · ") || undefined;
}

/** The outline of a table. */
function Frame({ table, starts }: { table: ArtifactTable; starts: number[] }) {
  const range = parseRange(table.range);
  if (!range) return null;
  const left = starts[range.firstColumn - 1] ?? 0;
  return (
    <div
      aria-hidden
      className={classes.table}
      style={{
        left,
        top: ROW + (range.firstRow - 1) * ROW,
        width: (starts[range.lastColumn] ?? 0) - left,
        height: (range.lastRow - range.firstRow + 1) * ROW,
      }}
    />
  );
}
