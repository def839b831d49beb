import { NativeSelect } from "@mantine/core";

interface Props {
  choices: readonly string[];
  /** The value that becomes a choice. */
  name: string;
  onChoose: (choice: string) => void;
}

/** The choices a field allows. */
export function ChoiceSelect({ choices, name, onChoose }: Props) {
  return (
    <NativeSelect
      size="xs"
      w={150}
      aria-label={`What ${name} means`}
      value=""
      data={[{ value: "", label: "It means…" }, ...choices.map((one) => ({ value: one, label: one }))]}
      onChange={(event) => event.currentTarget.value !== "" && onChoose(event.currentTarget.value)}
    />
  );
}
