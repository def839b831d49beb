export default function Analytics(_: { window: string }) {
  return null;
}
