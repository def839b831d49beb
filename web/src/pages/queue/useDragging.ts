import { useCallback, useState } from "react";

export interface DragState {
  /** The place of the dragged row. */
  dragged: number | null;
  setDragged: (place: number | null) => void;
  /** Whether rows can be dragged this moment. */
  isArmed: boolean;
  arm: () => void;
  disarm: () => void;
}

/** Whether rows can be dragged, and which one is. */
export function useDragging(): DragState {
  const [dragged, setDragged] = useState<number | null>(null);
  const [isArmed, setArmed] = useState(false);
  const arm = useCallback(() => setArmed(true), []);
  const disarm = (): void => {
    if (isArmed && dragged === null) setArmed(false);
  };
  return { dragged, setDragged, isArmed, arm, disarm };
}
