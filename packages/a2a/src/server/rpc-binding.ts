import type { Request } from "express";
import { answerTo } from "../wire/json-rpc.ts";
import { parseCall } from "../wire/parse-call.ts";
import type { Answered } from "../wire/stream-frames.ts";
import type { Binding, ReadCall } from "./a2a-endpoint.ts";
import { readBody, versionOf } from "./read-request.ts";

/** The JSON-RPC binding: takes calls in every version of the protocol, each in the body of a POST. */
export const rpcBinding: Binding = {
  formFor(request: Request): Answered {
    return answerTo(null, parseCall("", versionOf(request)).dialect);
  },
  async readCall(request, { maxBodyBytes, hasPush }): Promise<ReadCall> {
    const { id, dialect, ...read } = parseCall(await readBody(request, maxBodyBytes), versionOf(request), hasPush);
    return { ...read, answered: answerTo(id, dialect) };
  },
};
