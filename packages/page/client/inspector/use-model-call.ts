import { useEffect, useState } from "preact/hooks";
import type { InspectedModelCall } from "../../src/inspector/inspected-run.ts";
import type { InspectorClient } from "./inspector-client.ts";

/** The place of a model call: its run, and the key of its step in the log. */
export type CallPlace = { readonly client: InspectorClient; readonly runId: string; readonly logKey: string };

/** Reads a model call as it was sent. */
export function useModelCall({ client, runId, logKey }: CallPlace) {
  const [call, setCall] = useState<InspectedModelCall>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    const leaving = new AbortController();
    client.modelCall(runId, logKey, leaving.signal).then(setCall, (error: Error) => {
      if (!leaving.signal.aborted) setFailure(error.message);
    });
    return () => leaving.abort();
  }, [client, runId, logKey]);
  return { call, failure };
}
