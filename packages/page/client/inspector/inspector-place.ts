/** The run and the session in the address of the inspector. */
export type InspectorPlace = { readonly runId?: string | undefined; readonly sessionId?: string | undefined };

/** Reads the run and the session whose runs are listed from the fragment of an address. */
export function readInspectorPlace(hash: string): InspectorPlace {
  const [, runId, sessionId] = /^#\/inspector(?:\/([^/?]+))?(?:\?session=([^/?&]+))?$/.exec(hash) ?? [];
  return { runId: decode(runId), sessionId: decode(sessionId) };
}

/** Returns the address fragment of a run beside the runs of a session, or beside all runs. */
export function addressOfRun({ runId, sessionId }: InspectorPlace): string {
  const run = runId === undefined ? "" : `/${encodeURIComponent(runId)}`;
  return `#/inspector${run}${sessionId === undefined ? "" : `?session=${encodeURIComponent(sessionId)}`}`;
}

function decode(encoded: string | undefined): string | undefined {
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
