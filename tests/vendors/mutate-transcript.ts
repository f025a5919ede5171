/** One event of a recorded answer: its lines before the data, and its data as JSON or, where it is none, as text. */
type Frame = { head: string; data: unknown };

/** A change of a recorded answer. `event` and `field` choose the place, by counting round. */
export type Mutation = { kind: (typeof mutationKinds)[number]; event: number; field: number };

/** The kinds of changes: of events, and of fields within one event. */
export const mutationKinds = [
  "drop event",
  "double event",
  "swap events",
  "join events",
  "cut",
  "drop field",
  "null field",
  "reverse fields",
  "double field",
] as const;

/** Changes a recorded answer (SSE or NDJSON). */
export function mutate(recorded: string, { kind, event, field }: Mutation): string {
  const isSse = recorded.startsWith("event:") || recorded.startsWith("data:");
  if (kind === "cut") return recorded.slice(0, (event * 7919 + field) % recorded.length);
  const frames = toFrames(recorded, isSse);
  const at = event % frames.length;
  const frame = frames[at];
  if (frame === undefined) return recorded;
  if (kind === "drop event") frames.splice(at, 1);
  else if (kind === "double event") frames.splice(at, 0, frame);
  else if (kind === "swap events") frames.splice(at, 2, ...frames.slice(at, at + 2).toReversed());
  else if (kind !== "join events") changeField(frame, kind, field);
  const written = frames.map((each) => write(each, isSse));
  if (kind === "join events")
    written.splice(
      at,
      2,
      written
        .slice(at, at + 2)
        .map((text) => text.trimEnd())
        .join("\n") + (isSse ? "\n\n" : "\n"),
    );
  return written.join("");
}

/** Returns the parsed data of the events of an answer. `undefined` stands for data that is no JSON. */
export function eventsOf(answer: string): unknown[] {
  return toFrames(answer, answer.startsWith("event:") || answer.startsWith("data:")).map(({ data }) =>
    typeof data === "string" ? undefined : data,
  );
}

function toFrames(text: string, isSse: boolean): Frame[] {
  if (!isSse)
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => ({ head: "", data: parse(line) }));
  return text
    .split(/\r?\n\r?\n/)
    .filter((frame) => frame.trim() !== "")
    .map((frame) => {
      const lines = frame.split(/\r?\n/);
      const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trim());
      const head = lines.filter((line) => !line.startsWith("data:")).map((line) => `${line}\n`);
      return { head: head.join(""), data: parse(data.join("\n")) };
    });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function write({ head, data }: Frame, isSse: boolean): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return isSse ? `${head}data: ${text}\n\n` : `${text}\n`;
}

type Holder = Record<string, unknown>;

function changeField(frame: Frame, kind: Mutation["kind"], field: number): void {
  frame.data = structuredClone(frame.data);
  const places = placesIn(frame.data);
  const place = places[field % Math.max(places.length, 1)];
  if (place === undefined) return;
  const [holder, name] = place;
  if (kind === "drop field" && Array.isArray(holder)) holder.splice(Number(name), 1);
  else if (kind === "drop field") delete holder[name];
  else holder[name] = kind === "null field" ? null : reordered(holder[name], kind);
}

function reordered(value: unknown, kind: Mutation["kind"]): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value)) return Object.fromEntries(Object.entries(value).toReversed());
  const elements: readonly unknown[] = value;
  return kind === "double field" ? [...elements, ...elements] : elements;
}

/** Returns every field, however deep, by its holder and name. */
function placesIn(value: unknown): [Holder, string][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.keys(value).flatMap((name) => [
    [value as Holder, name] as [Holder, string],
    ...placesIn((value as Holder)[name]),
  ]);
}
