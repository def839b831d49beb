import { useQuery } from "@tanstack/react-query";
import { cellsQuery, documentQuery } from "~/api/queries";
import type { CellRow } from "~/api/types";

const NONE: CellRow[] = [];

/** Some rows of a sheet of a document; none while they load, or where the document cannot be read. */
export function useSheetRows(
  documentId: string,
  sheet: string | null,
  range: string | null,
  isWanted = true,
): CellRow[] {
  const document = useQuery(documentQuery(documentId));
  const index = document.data?.sheets.find((one) => one.name === sheet)?.index;
  const cells = useQuery({
    ...cellsQuery(`/documents/${documentId}`, index ?? 0, range ?? "A1:A1"),
    enabled: isWanted && index !== undefined && range !== null,
  });
  return cells.data?.rows ?? NONE;
}
