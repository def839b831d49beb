/** What a build found in its configuration: fields, and the place of each rule. */
import type { Build, ConfigurationProblem } from "./types";

export interface ManifestFunction {
  rule: string;
  file: string;
  line: number;
}

interface ManifestField {
  name: string;
  label: string;
  type: string;
  required: boolean;
  unique: boolean;
  aliases: string[];
  /** The values it may have; null: any. */
  choices?: string[] | null;
  file: string;
  detectors: ManifestFunction[];
  transforms: ManifestFunction[];
  validators: ManifestFunction[];
}

export interface Manifest {
  fields: ManifestField[];
  warnings: ConfigurationProblem[];
}

export function manifestOf(build: Build | undefined): Manifest | null {
  const { fields, warnings } = build?.manifest ?? {};
  if (!Array.isArray(fields)) return null;
  return { fields: fields as ManifestField[], warnings: (warnings ?? []) as ConfigurationProblem[] };
}

/** The place of a rule of the configuration, or null for a built-in one. */
export function placeOf(manifest: Manifest | null, rule: string): ManifestFunction | null {
  for (const field of manifest?.fields ?? [])
    for (const found of [...field.detectors, ...field.transforms, ...field.validators])
      if (found.rule === rule) return found;
  return null;
}

/** The name of a field for people; its id where the build is not known. */
export function labelOf(manifest: Manifest | null, field: string): string {
  return manifest?.fields.find((one) => one.name === field)?.label || field;
}
