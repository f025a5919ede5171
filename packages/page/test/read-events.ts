import type { InspectedEvent } from "../src/inspector/inspected-run.ts";

type Sent = { id: string; event: InspectedEvent };

/** Reads the events of the inspector's stream to its end. */
export async function readEvents(url: string, headers: Record<string, string> = {}): Promise<Sent[]> {
  const text = await (await fetch(url, { headers })).text();
  return text.split("\n\n").flatMap((frame) => {
    const id = /^id: (.*)$/m.exec(frame)?.[1];
    const data = /^data: (.*)$/m.exec(frame)?.[1];
    return id === undefined || data === undefined ? [] : [{ id, event: JSON.parse(data) as InspectedEvent }];
  });
}
