import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from "@mantine/core";

// Chosen so that text in 7 on white, and in 3 on the darkest grey, is easy to read; red is left to errors.
const ink: MantineColorsTuple = [
  "#eef0fb",
  "#dcdff5",
  "#b8bdea",
  "#9aa1e6",
  "#7880dd",
  "#6169d3",
  "#4f56c4",
  "#4338ca",
  "#3730a3",
  "#2b2880",
];

export const theme = createTheme({
  primaryColor: "ink",
  primaryShade: { light: 7, dark: 6 },
  colors: { ink },
  defaultRadius: "md",
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: "650" },
  cursorType: "pointer",
  components: {
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300, multiline: true, maw: 320 } },
    Modal: { defaultProps: { centered: true, closeButtonProps: { "aria-label": "Close" } } },
    Notification: {
      defaultProps: { closeButtonProps: { "aria-label": "Close the message" } },
      styles: { description: { color: "var(--mantine-color-dimmed)" } },
    },
    Drawer: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
  },
});

// Mantine's dimmed text is too faint on white; and the page gets surfaces of its own.
const LIGHT = {
  "--mantine-color-body": "#ffffff",
  "--mantine-color-dimmed": "#5b6270",
  "--mantine-color-placeholder": "#6b7280",
  "--page": "#f6f7f9",
  "--surface": "#ffffff",
  "--sunken": "#f1f2f5",
  "--line": "#e3e5ea",
  "--line-strong": "#cdd1d9",
  "--good": "#066a4c",
  "--good-soft": "#e3f6ef",
  "--bad": "#c92a2a",
  "--bad-soft": "#fdecec",
  "--warn": "#9a5b00",
  "--warn-soft": "#fff3dc",
  "--busy": "#1864ab",
  "--busy-soft": "#e5f1fc",
  "--quiet": "#4b5563",
  "--quiet-soft": "#eceef2",
  "--accent-text": "#4338ca",
  "--accent-soft": "#eef0fb",
  "--chart-bad": "#d64545",
  "--chart-warn": "#e0a030",
  "--chart-quiet": "#9aa3b2",
};

const DARK = {
  "--mantine-color-body": "#1a1c22",
  "--mantine-color-text": "#e4e7ee",
  "--mantine-color-dimmed": "#a3a9b7",
  "--mantine-color-placeholder": "#9299a8",
  "--page": "#131519",
  "--surface": "#1a1c22",
  "--sunken": "#22252c",
  "--line": "#2c3039",
  "--line-strong": "#434957",
  "--good": "#63dcae",
  "--good-soft": "#12372c",
  "--bad": "#ff9d9d",
  "--bad-soft": "#431d20",
  "--warn": "#f5c469",
  "--warn-soft": "#3d2e10",
  "--busy": "#8cc4ff",
  "--busy-soft": "#132f4c",
  "--quiet": "#c0c6d2",
  "--quiet-soft": "#2b2f38",
  "--accent-text": "#b4baf5",
  "--accent-soft": "#272a4a",
  "--chart-bad": "#ee6a6a",
  "--chart-warn": "#e5b04a",
  "--chart-quiet": "#767f90",
};

export const cssVariables: CSSVariablesResolver = () => ({ variables: {}, light: LIGHT, dark: DARK });
