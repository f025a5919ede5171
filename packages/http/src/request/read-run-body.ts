import { TroupeError } from "@troupe/core";
import { readKeyHeaders } from "@troupe/core/adapter";
import type { Exchange } from "../exchange.ts";
import { readBody } from "./read-body.ts";

/** What the body of a run says, each field still as it came. */
export type RunBody = {
  readonly input?: unknown;
  readonly sessionId?: unknown;
  readonly userId?: unknown;
  readonly apiKey?: unknown;
};

const fields: readonly string[] = ["input", "sessionId", "userId", "apiKey"] satisfies (keyof RunBody)[];

/** Lists of names that a client made up may be as long as its body. */
const shown = { names: 5, length: 64 };

/**
 * Reads the body of a run, or gives nothing when there is none. A field that would have no effect is refused. With files, it
 * is a form, where the router takes forms.
 */
export async function readRunBody(exchange: Exchange, takesFiles: boolean): Promise<RunBody | undefined> {
  const { request, settings } = exchange;
  const { uploads, maxBodyBytes, genericApiKeyHeader } = settings;
  if (takesFiles && uploads?.isUpload(request) === true) {
    // They are read again with the body's own; a wrong one is refused before anything is stored.
    readKeyHeaders(request.headers, { genericApiKeyHeader });
    return await uploads.readBody(exchange, (name) => checkNames([name]));
  }
  const body = await readBody(request, maxBodyBytes);
  checkNames(Object.keys(body ?? {}));
  return body;
}

function checkNames(sent: readonly string[]): void {
  const unknown = sent.filter((name) => !fields.includes(name));
  if (unknown.length === 0) return;
  const names = unknown.slice(0, shown.names).map((name) => JSON.stringify(name.slice(0, shown.length)));
  throw new TroupeError("invalid_request", `The body has no field ${names.join(", ")}: it takes ${fields.join(", ")}.`);
}
