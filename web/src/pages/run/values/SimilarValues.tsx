import { Button, TextInput } from "@mantine/core";
import { Combine } from "lucide-react";
import { useMemo, useState } from "react";
import type { ValueCorrection } from "~/api/types";
import { counted } from "~/logic/numbers";
import { total, type Cluster } from "~/logic/similar";
import { alike, type FieldValues } from "~/logic/values";
import classes from "./values.module.css";

interface Props {
  values: FieldValues;
  onDecide: (...made: ValueCorrection[]) => void;
}

/** Values that look alike, to give them one spelling at once. */
export function SimilarValues({ values, onDecide }: Props) {
  const [isOpen, setOpen] = useState(false);
  const found = useMemo(() => alike(values), [values]);
  if (found.length === 0) return null;
  return (
    <div className={classes.similar}>
      <Button
        size="compact-sm"
        variant="light"
        leftSection={<Combine size={14} />}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {counted(found.length, "group")} of similar values
      </Button>
      {isOpen &&
        found.map((cluster) => (
          <OneCluster key={cluster[0]?.value} field={values.field} cluster={cluster} onDecide={onDecide} />
        ))}
    </div>
  );
}

interface ClusterProps {
  field: string;
  cluster: Cluster;
  onDecide: Props["onDecide"];
}

function OneCluster({ field, cluster, onDecide }: ClusterProps) {
  const [text, setText] = useState(cluster[0]?.value.trim() ?? "");
  const [isDone, setDone] = useState(false);
  const names = cluster.map((one) => `“${one.value}”`).join(", ");
  const unify = (): void => {
    const spelling = text.trim();
    const others = cluster.filter((one) => one.value !== spelling);
    onDecide(...others.map((one) => ({ kind: "value" as const, field, value: one.value, new: spelling })));
    setDone(true);
  };
  if (isDone) return null;
  return (
    <div className={classes.cluster}>
      <span title={names}>{names}</span>
      <TextInput
        size="xs"
        aria-label={`One spelling for ${names}`}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button size="compact-xs" disabled={text.trim() === ""} onClick={unify}>
        Use it for {counted(total(cluster), "cell")}
      </Button>
    </div>
  );
}
