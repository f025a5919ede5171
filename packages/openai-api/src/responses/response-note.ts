import type { Json } from "@troupe/core";
import type { ServedModel } from "../models/served-models.ts";
import { waitingTools } from "../run/begin-run.ts";
import type { RequestEcho } from "./response-object.ts";
import { noEcho } from "./response-object.ts";

/** The facts of a request that are stored with its run, so that its responses can be read later. */
export type ResponseNote = {
  readonly model: string;
  readonly echo: RequestEcho;
  readonly clientTools: readonly string[];
};

const longestNote = 200_000;

/** Returns the facts to store with a run. If they are too long, omits tools, instructions and metadata. */
export function toNote(model: ServedModel, echo: RequestEcho): Json {
  const names = echo.tools.map((tool) => (tool as { readonly name: string }).name);
  const clientTools = [...new Set([...names, ...waitingTools(model).inputs])];
  const note = { openai: { model: model.id, echo, clientTools } };
  if (JSON.stringify(note).length <= longestNote) return note as unknown as Json;
  const { tools: _, instructions: _text, metadata: _metadata, ...short } = echo;
  const shortEcho = { ...short, tools: [], instructions: null, metadata: {} };
  return { openai: { model: model.id, echo: shortEcho, clientTools } } as unknown as Json;
}

/** Reads the facts stored with a run. Returns undefined for a run of another protocol. */
export function readNote(note: unknown): ResponseNote | undefined {
  const { openai } = (note ?? {}) as { readonly openai?: Partial<ResponseNote> };
  if (openai?.model === undefined) return undefined;
  return { model: openai.model, echo: { ...noEcho, ...openai.echo }, clientTools: openai.clientTools ?? [] };
}
