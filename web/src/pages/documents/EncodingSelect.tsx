import { Select, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Languages } from "lucide-react";
import { chooseEncoding } from "~/api/actions";
import { cellsQuery, documentQuery } from "~/api/queries";
import type { Document } from "~/api/types";
import { ErrorPanel } from "~/components/feedback";
import { DETECTED, encodingChoices } from "~/logic/encodings";
import { useForbidden } from "~/shell/workspace";

/** In which encoding the text of a document is read: the one that was detected, until someone chooses another. */
export function EncodingSelect({ document }: { document: Document }) {
  const client = useQueryClient();
  const forbidden = useForbidden("operator");
  const source = `/documents/${document.id}`;
  const cells = useQuery(cellsQuery(source, 0, "A1:A1")).data;
  const choose = useMutation({
    mutationFn: (encoding: string) => chooseEncoding(document.id, encoding),
    onSuccess: async (changed) => {
      client.setQueryData(documentQuery(document.id).queryKey, changed);
      await client.resetQueries({ queryKey: ["cells", source] });
    },
  });
  const other = cells?.other_encoding;
  return (
    <>
      <Select
        size="xs"
        w={260}
        maw="100%"
        aria-label="Encoding"
        leftSection={<Languages size={13} aria-hidden />}
        allowDeselect={false}
        searchable
        disabled={forbidden !== null || choose.isPending}
        title={forbidden ?? undefined}
        data={encodingChoices(document.encoding, cells?.encoding ?? null)}
        value={document.encoding ?? DETECTED}
        onChange={(value) => value && choose.mutate(value)}
      />
      {other && (
        <Text size="xs" c="dimmed">
          {other} is almost as likely. Choose it if letters look wrong.
        </Text>
      )}
      {choose.error && <ErrorPanel error={choose.error} />}
    </>
  );
}
