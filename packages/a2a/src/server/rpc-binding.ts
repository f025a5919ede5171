import { answerTo } from "../wire/json-rpc.ts";
import { parseCall } from "../wire/parse-call.ts";
import type { Binding } from "./a2a-endpoint.ts";
import { readBody, versionOf } from "./read-request.ts";

/** The JSON-RPC binding: accepts calls in every A2A version, each in the body of a POST. */
export const rpcBinding: Binding = {
  formFor: (exchange) => answerTo(null, parseCall("", versionOf(exchange)).dialect),
  async readCall(exchange, { maxBodyBytes, hasPush }) {
    const { id, dialect, ...read } = parseCall(await readBody(exchange, maxBodyBytes), versionOf(exchange), hasPush);
    return { ...read, answered: answerTo(id, dialect) };
  },
};
