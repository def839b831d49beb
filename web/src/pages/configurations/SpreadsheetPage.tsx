import { Button, FileButton, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { FileUp } from "lucide-react";
import { useCallback, useEffect } from "react";
import { uploadBytes } from "~/api/actions";
import { documentQuery, inferredFieldsQuery } from "~/api/queries";
import { BackLink } from "~/components/BackLink";
import { DocumentSelect } from "~/components/DocumentSelect";
import { errorOf, ErrorPanel, RowsSkeleton, showProblem } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { ACCEPTED, FORMAT_WORDS } from "~/logic/formats";
import { useUploads } from "~/shell/upload/UploadProvider";
import { useForbidden, useWorkspace } from "~/shell/workspace";
import { FieldsForm } from "./FieldsForm";
import classes from "./spreadsheet.module.css";

const route = getRouteApi("/configurations/new");

/** Makes a configuration from an example: what its columns are is inferred, adjusted in a table, and published. */
export default function SpreadsheetPage() {
  usePageTitle("New configuration");
  const { document: documentId } = route.useSearch();
  const navigate = useNavigate({ from: "/configurations/new" });
  const choose = useCallback(
    (document: string): void => void navigate({ search: { document }, replace: true }),
    [navigate],
  );
  return (
    <>
      <PageHead
        before={<BackLink to="/configurations" label="Configurations" />}
        title="New configuration from a spreadsheet"
        note="Show one document whose columns are as you want them. Others may be messier."
      />
      <Stack>
        <Example documentId={documentId ?? null} onChoose={choose} />
        {documentId && <Fields key={documentId} documentId={documentId} />}
      </Stack>
    </>
  );
}

interface ExampleProps {
  documentId: string | null;
  onChoose: (documentId: string) => void;
}

/** The example: dropped anywhere on the page, chosen from the computer, or uploaded earlier. */
function Example({ documentId, onChoose }: ExampleProps) {
  const forbidden = useForbidden("author");
  const { take, isPending } = useExample(onChoose, forbidden !== null);
  return (
    <section className={`card ${classes.example}`} aria-label="Example">
      <FileUp size={24} aria-hidden />
      <div className={classes.exampleWords}>
        <strong>{documentId ? "Another example?" : "Drop an example anywhere on this page"}</strong>
        <Text size="sm" c="dimmed">
          {FORMAT_WORDS}
        </Text>
      </div>
      <Group gap="sm" align="flex-end">
        <FileButton accept={ACCEPTED} onChange={(file) => file && take(file)} disabled={forbidden !== null}>
          {(props) => (
            <Button
              {...props}
              variant={documentId ? "default" : "filled"}
              loading={isPending}
              disabled={forbidden !== null}
              title={forbidden ?? undefined}
            >
              Choose a file
            </Button>
          )}
        </FileButton>
        <DocumentSelect label="or one that was uploaded" documentId={documentId} onChoose={onChoose} />
      </Group>
    </section>
  );
}

/** Uploads an example, also one that is dropped on the page. */
function useExample(onChoose: (documentId: string) => void, isForbidden: boolean) {
  const { workspace } = useWorkspace();
  const { divert } = useUploads();
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (file: File) => uploadBytes(workspace.id, file.name, file),
    onSuccess: () => void client.invalidateQueries({ queryKey: ["documents"] }),
    onError: showProblem,
  });
  // Said with the file, it is heard only for the last one, and only while the page is open.
  const take = useCallback(
    (file: File): void => mutate(file, { onSuccess: (document) => onChoose(document.id) }),
    [mutate, onChoose],
  );
  useEffect(() => (isForbidden ? undefined : divert(([file]) => file && take(file))), [divert, isForbidden, take]);
  return { take, isPending };
}

function Fields({ documentId }: { documentId: string }) {
  const document = useQuery(documentQuery(documentId));
  const fields = useQuery(inferredFieldsQuery(documentId));
  const error = errorOf(document) ?? errorOf(fields);
  const again = (): void => void Promise.all([document, fields].map((one) => one.isError && one.refetch()));
  if (error) return <ErrorPanel error={error} onAgain={again} />;
  if (!document.data || !fields.data)
    return (
      <div className="card">
        <RowsSkeleton />
      </div>
    );
  return <FieldsForm document={document.data} inferred={fields.data.items} />;
}
