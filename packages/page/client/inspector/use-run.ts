import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { InspectedRunDetails, PlacedEvent } from "../../src/inspector/inspected-run.ts";
import type { InspectorClient } from "./inspector-client.ts";
import { toRunTree } from "./read-run-tree.ts";
import type { RunTree } from "./run-tree.ts";

/** The parts of an inspected run that have been read. */
export type ReadRun = {
  readonly details: InspectedRunDetails | undefined;
  readonly tree: RunTree | undefined;
  readonly events: readonly PlacedEvent[];
  readonly failure: string | undefined;
  /** True while the page reconnects. */
  readonly isBroken: boolean;
};

/** Milliseconds between two drawings of an active run. */
const drawMs = 120;

/** Reads a run and follows its log while the component is mounted. */
export function useRun(client: InspectorClient, runId: string): ReadRun {
  const [details, setDetails] = useState<InspectedRunDetails>();
  const [failure, setFailure] = useState<string>();
  const [isBroken, setBroken] = useState(false);
  const events = useRef<PlacedEvent[]>([]);
  const [drawn, setDrawn] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    events.current = [];
    setDetails(undefined);
    setFailure(undefined);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = (): void => {
      timer = undefined;
      setDrawn((times) => times + 1);
    };
    const follow = async (): Promise<void> => {
      setDetails(await client.read(runId, signal));
      for await (const update of client.follow(runId, signal)) {
        setBroken(update === "broken");
        if (update === "broken") continue;
        events.current.push(update);
        timer ??= setTimeout(draw, drawMs);
      }
      // The final status and times are only in the run's record, so the record is read again.
      setDetails(await client.read(runId, signal));
    };
    follow().catch((error: Error) => signal.aborted || setFailure(error.message));
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [client, runId]);
  const tree = useMemo(
    () =>
      details &&
      toRunTree(
        details,
        events.current.map(({ event }) => event),
      ),
    [details, drawn],
  );
  return { details, tree, events: events.current, failure, isBroken };
}

/** Returns the current time, which advances while `isRunning`. */
export function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [isRunning]);
  return isRunning ? Math.max(now, Date.now()) : now;
}
