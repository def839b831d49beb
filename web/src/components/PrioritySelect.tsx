import { Select } from "@mantine/core";
import { LEVELS } from "~/logic/priority";

const NAMES: Record<string, string> = {
  urgent: "Urgent",
  high: "High",
  normal: "Normal",
  low: "Low",
  background: "Background",
};

/** The named priorities to choose from; another number someone set stays visible. */
export function PrioritySelect({
  value,
  onChange,
  label = "Priority",
}: {
  value: number;
  onChange: (priority: number) => void;
  label?: string;
}) {
  const levels = LEVELS.some((level) => level.priority === value)
    ? LEVELS
    : [...LEVELS, { name: String(value), priority: value }];
  return (
    <Select
      label={label}
      allowDeselect={false}
      data={levels.map((level) => ({ value: String(level.priority), label: NAMES[level.name] ?? level.name }))}
      value={String(value)}
      onChange={(chosen) => chosen && onChange(Number(chosen))}
    />
  );
}
