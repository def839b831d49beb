import { Button, Group, Modal, Table, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Archive, Check, RotateCcw, SquarePen, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { discardDraft, restoreVersion } from "~/api/drafts";
import type { Version } from "~/api/types";
import { showDone, showProblem } from "~/components/feedback";
import { ToneBadge } from "~/components/status";
import { Time } from "~/components/Time";
import { isDiscarded } from "~/logic/versions";

interface VersionsProps {
  configurationId: string;
  versions: Version[];
  forbidden: string | null;
  hasDraft: boolean;
}

/** The versions of a configuration, and what can be done with each. */
export function Versions({ configurationId, versions, forbidden, hasDraft }: VersionsProps) {
  const [discarding, setDiscarding] = useState<number | null>(null);
  const { restore, discard } = useVersionChanges(configurationId, () => setDiscarding(null));
  return (
    <section className="card scrolls" style={{ overflowX: "auto" }} aria-label="Versions" tabIndex={0}>
      <Table verticalSpacing="xs" horizontalSpacing="md">
        <VersionTitles />
        <Table.Tbody>
          {versions.map((version) => (
            <VersionRow key={version.number} version={version}>
              {version.status === "draft" ? (
                <DiscardButton forbidden={forbidden} onDiscard={() => setDiscarding(version.number)} />
              ) : (
                <RestoreButton
                  forbidden={forbidden}
                  hasDraft={hasDraft}
                  onRestore={() => restore.mutate(version.number)}
                />
              )}
            </VersionRow>
          ))}
        </Table.Tbody>
      </Table>
      {discarding !== null && (
        <DiscardModal
          number={discarding}
          isPending={discard.isPending}
          onClose={() => setDiscarding(null)}
          onConfirm={() => discard.mutate(discarding)}
        />
      )}
    </section>
  );
}

function VersionBadge({ version }: { version: Version }) {
  if (version.status === "published") return <ToneBadge label="Published" tone="busy" icon={Check} />;
  if (version.status === "draft") return <ToneBadge label="Draft" tone="warn" icon={SquarePen} />;
  if (isDiscarded(version)) return <ToneBadge label="Discarded" tone="quiet" icon={Trash2} />;
  return <ToneBadge label="Archived" tone="quiet" icon={Archive} />;
}

function VersionTitles() {
  return (
    <Table.Thead>
      <Table.Tr>
        <Table.Th>Version</Table.Th>
        <Table.Th>State</Table.Th>
        <Table.Th>Note</Table.Th>
        <Table.Th visibleFrom="sm">By</Table.Th>
        <Table.Th visibleFrom="sm">When</Table.Th>
        <Table.Th>
          <span className="only-sr">Actions</span>
        </Table.Th>
      </Table.Tr>
    </Table.Thead>
  );
}

function VersionRow({ version, children }: { version: Version; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Td className="num">{version.number}</Table.Td>
      <Table.Td>
        <VersionBadge version={version} />
      </Table.Td>
      <Table.Td miw={180}>
        {version.note ?? ""}
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          {version.created_by}, <Time at={version.published_at ?? version.created_at} />
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">{version.created_by ?? "–"}</Table.Td>
      <Table.Td visibleFrom="sm" style={{ whiteSpace: "nowrap" }}>
        <Time at={version.published_at ?? version.created_at} />
      </Table.Td>
      <Table.Td ta="right">{children}</Table.Td>
    </Table.Tr>
  );
}

function DiscardButton({ forbidden, onDiscard }: { forbidden: string | null; onDiscard: () => void }) {
  return (
    <Button
      size="compact-xs"
      variant="default"
      disabled={forbidden !== null}
      title={forbidden ?? undefined}
      onClick={onDiscard}
    >
      Discard…
    </Button>
  );
}

interface RestoreProps {
  forbidden: string | null;
  hasDraft: boolean;
  onRestore: () => void;
}

function RestoreButton({ forbidden, hasDraft, onRestore }: RestoreProps) {
  return (
    <Button
      size="compact-xs"
      variant="default"
      leftSection={<RotateCcw size={13} />}
      disabled={forbidden !== null || hasDraft}
      title={forbidden ?? (hasDraft ? "Publish or discard the draft first" : undefined)}
      onClick={onRestore}
    >
      Restore as draft
    </Button>
  );
}

interface DiscardProps {
  number: number;
  isPending: boolean;
  onClose: () => void;
  onConfirm: () => void;
}

function DiscardModal({ number, isPending, onClose, onConfirm }: DiscardProps) {
  return (
    <Modal opened onClose={onClose} title={`Discard version ${number}, a draft?`}>
      <Text size="sm" mb="md">
        It can then no longer be edited or published. It stays in this list, where it can be restored as a draft.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Keep it
        </Button>
        <Button color="red.9" data-autofocus loading={isPending} onClick={onConfirm}>
          Discard
        </Button>
      </Group>
    </Modal>
  );
}

/** What changes a version, and then the list of them. */
function useVersionChanges(configurationId: string, onDiscarded: () => void) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ["configurations"] });
  const restore = useMutation({
    mutationFn: (number: number) => restoreVersion(configurationId, number),
    onSuccess: async () => {
      await refresh();
      void navigate({ to: "/configurations/$configurationId/edit", params: { configurationId } });
    },
    onError: showProblem,
  });
  const discard = useMutation({
    mutationFn: (number: number) => discardDraft(configurationId, number),
    onSuccess: async () => {
      await refresh();
      showDone("The draft is discarded");
    },
    onError: showProblem,
    onSettled: onDiscarded,
  });
  return { restore, discard };
}
