import type { RunService } from "@troupe/core/runs";
import type { InspectedRunDetails, InspectedRunPage } from "../src/inspector/inspected-run.ts";
import { poet, serveRuns } from "./runs.ts";

/** Requests a list or a run of the inspector. */
export async function getJson(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Partial<InspectedRunPage & InspectedRunDetails> }> {
  const response = await fetch(url, { headers });
  return { status: response.status, body: (await response.json()) as object };
}

/** Serves the runs of a poet. */
export async function poets(): Promise<RunService> {
  return await serveRuns({ agents: { poet: poet() } });
}

/** The request of a poet's run. */
export const hello = { kind: "agent", name: "poet", input: "Hello." } as const;
