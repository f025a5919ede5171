import type { Service } from "@troupe/core/transport";
import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, onTestFinished } from "vitest";
import { chatStream } from "../src/index.ts";

type Ref = { readonly $ref: string };
type Described = { readonly headers?: Record<string, Ref>; readonly content?: Record<string, unknown> };
type Operations = Record<string, { readonly responses: Record<string, Described | Ref> }>;

/** The headers that an answer must have where they are described. The others are described where they may be. */
const required = ["X-Request-Id", "X-Run-Id", "X-Session-Id"];

const chatPath = /^(\/(?:agents|teams)\/[^/]+\/ui)(?:\/[^/]+\/(stream|stop))?$/;

/**
 * Makes a middleware that checks all answers to chats. When the test is over, every answer must have matched the
 * description of its path.
 */
export function watchAnswers(service: Service) {
  const paths = (chatStream().describe?.(service).paths ?? {}) as Record<string, Operations>;
  const problems: string[] = [];
  onTestFinished(() => expect(problems).toEqual([]));
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    // Node returns the headers that were passed to `writeHead` only if another header was set before.
    response.setHeader("x-seen", "");
    response.removeHeader("x-seen");
    const { method = "GET", url = "/" } = request;
    const called = url.replace(/\?.*/, "");
    const [, path = "", verb] = chatPath.exec(called) ?? [];
    if (path !== "") {
      const body = keepBody(response);
      response.once("close", () => {
        if (!response.headersSent) return;
        const operations = paths[verb === undefined ? path : `${path}/{chatId}/${verb}`];
        const found = problemsOf({ operations, method, response, body: body() });
        problems.push(...found.map((problem) => `${method} ${called} ${response.statusCode}: ${problem}`));
      });
    }
    next();
  };
}

type Seen = { operations: Operations | undefined; method: string; response: ServerResponse; body: string };

function problemsOf({ operations, method, response, body }: Seen): string[] {
  const { statusCode: status } = response;
  // An unregistered name has no described path.
  if (operations === undefined && status === 404) return errorProblems(body);
  const described = operations?.[method === "HEAD" ? "get" : method.toLowerCase()]?.responses[String(status)];
  if (described === undefined) return ["is not described"];
  return "$ref" in described ? errorProblems(body) : headProblems(described, response, method);
}

function headProblems({ headers = {}, content = {} }: Described, response: ServerResponse, method: string): string[] {
  const lacking = Object.keys(headers).filter((name) => required.includes(name) && !response.hasHeader(name));
  const [type = ""] = Object.keys(content);
  const [sent = ""] = String(response.getHeader("content-type") ?? "").split(";", 1);
  // An answer to a GET is about one user, so that no cache may keep it, also if it is empty.
  const isStorable = method === "GET" && !/\bno-store\b/.test(String(response.getHeader("cache-control")));
  return [
    ...lacking.map((name) => `lacks ${name}`),
    ...(sent === type ? [] : [`is ${sent}, not ${type}`]),
    ...(isStorable ? ["may be stored by a cache"] : []),
  ];
}

function errorProblems(body: string): string[] {
  const { error } = JSON.parse(body) as { error?: { code?: unknown; message?: unknown; requestId?: unknown } };
  const fields = [error?.code, error?.message, error?.requestId];
  return fields.every((field) => typeof field === "string") ? [] : [`has the body ${body}`];
}

/** Keeps the body of an answer, and returns the function that reads it. */
function keepBody(response: ServerResponse): () => string {
  const pieces: Buffer[] = [];
  const keep = (piece: unknown): void => {
    if (typeof piece === "string" || piece instanceof Uint8Array) pieces.push(Buffer.from(piece as string));
  };
  const [write, end] = [response.write.bind(response), response.end.bind(response)];
  response.write = ((...sent: Parameters<typeof write>) => {
    keep(sent[0]);
    return write(...sent);
  }) as typeof write;
  response.end = ((...sent: Parameters<typeof end>) => {
    keep(sent[0]);
    return end(...sent);
  }) as typeof end;
  return () => Buffer.concat(pieces).toString();
}
