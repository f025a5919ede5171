/** An event of a stream: its id, and its data. */
export type StreamEvent = { id: string; data: EventData };

/** The fields of events that the trials look at. */
export type EventData = {
  type: string;
  text?: string;
  journalStep?: string;
  waitId?: string;
  kind?: string;
  about?: { idempotencyKey?: string; args?: { input?: string } };
  error?: { code?: string };
};

/** Reads server-sent events as they come. Ends when the answer does, and rejects when the connection breaks. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent, void> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) {
      const [, id] = /^id: (.*)$/m.exec(frame) ?? [];
      const [, data] = /^data: (.*)$/m.exec(frame) ?? [];
      if (id !== undefined && data !== undefined) yield { id, data: JSON.parse(data) as EventData };
    }
  }
}
