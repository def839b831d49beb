import { Button } from "@mantine/core";
import { ListFilter } from "lucide-react";
import { useState } from "react";
import type { IssueCounts } from "~/api/types";
import { FACETS, facetCounts, fieldWords, issueRuleWords, NO_FIELD, type Chosen, type Facet } from "~/logic/issues";
import { count } from "~/logic/numbers";
import classes from "./issues.module.css";

const TITLES: Record<Facet, string> = { severity: "Severity", rule: "Rule", field: "Field" };

function nameOf(facet: Facet, value: string): string {
  if (facet === "rule") return issueRuleWords(value);
  if (facet === "field") return value === NO_FIELD ? "no field" : fieldWords(value);
  return value.charAt(0).toUpperCase() + value.slice(1);
}

interface FacetsProps {
  counts: IssueCounts;
  chosen: Chosen;
  onChoose: (chosen: Chosen) => void;
}

/** What to narrow the list to. On a small screen it is folded: the issues come first. */
export function IssueFacets({ counts, chosen, onChoose }: FacetsProps) {
  const [isOpen, setOpen] = useState(false);
  const lists = FACETS.map((facet) => ({ facet, found: facetCounts(counts.groups, facet, chosen) })).filter(
    ({ facet, found }) => found.length > 1 || chosen[facet],
  );
  if (lists.length === 0 && counts.other_count === 0) return null;
  const names = FACETS.flatMap((facet) => (chosen[facet] ? [nameOf(facet, chosen[facet])] : []));
  return (
    <div className={classes.facets}>
      <Button
        className={classes.fold}
        size="xs"
        variant="default"
        leftSection={<ListFilter size={14} />}
        aria-expanded={isOpen}
        aria-controls="issue-facets"
        onClick={() => setOpen(!isOpen)}
      >
        {names.length ? `Only ${names.join(", ")}` : "Filter"}
      </Button>
      <div id="issue-facets" className={classes.lists} data-open={isOpen || undefined}>
        {lists.map(({ facet, found }) => (
          <FacetList
            key={facet}
            facet={facet}
            counts={found}
            chosen={chosen[facet]}
            onChoose={(value) => onChoose({ ...chosen, [facet]: value } as Chosen)}
          />
        ))}
        {counts.other_count > 0 && (
          <p className={classes.hint}>{count(counts.other_count)} more are of too many kinds to list them.</p>
        )}
      </div>
    </div>
  );
}

function FacetList({
  facet,
  counts,
  chosen,
  onChoose,
}: {
  facet: Facet;
  counts: [string, number][];
  chosen: string | undefined;
  onChoose: (value: string | undefined) => void;
}) {
  return (
    <div className={classes.facet} role="group" aria-label={TITLES[facet]}>
      <h2>{TITLES[facet]}</h2>
      {counts.map(([value, number]) => (
        <button
          key={value}
          type="button"
          aria-pressed={chosen === value}
          title={value === NO_FIELD ? undefined : value}
          onClick={() => onChoose(chosen === value ? undefined : value)}
        >
          <span className={classes.facetName}>{nameOf(facet, value)}</span>
          <span className="num">{count(number)}</span>
        </button>
      ))}
    </div>
  );
}
