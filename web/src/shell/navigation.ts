import {
  Cog,
  FileSpreadsheet,
  Hammer,
  House,
  ListOrdered,
  Play,
  Server,
  SlidersHorizontal,
  type LucideIcon,
} from "lucide-react";

export interface Destination {
  to: "/" | "/documents" | "/runs" | "/queue" | "/configurations" | "/builds" | "/workers" | "/settings";
  label: string;
  icon: LucideIcon;
  key?: string;
}

export const NAVIGATION: Destination[] = [
  { to: "/", label: "Home", icon: House, key: "h" },
  { to: "/documents", label: "Documents", icon: FileSpreadsheet, key: "d" },
  { to: "/runs", label: "Runs", icon: Play, key: "r" },
  { to: "/queue", label: "Queue", icon: ListOrdered, key: "q" },
  { to: "/configurations", label: "Configurations", icon: SlidersHorizontal, key: "c" },
  { to: "/builds", label: "Builds", icon: Hammer, key: "b" },
  { to: "/workers", label: "Workers", icon: Server, key: "w" },
  { to: "/settings", label: "Settings", icon: Cog, key: "s" },
];
