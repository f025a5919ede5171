import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import express from "express";

/** A request that a visitor sends: its path, its body as JSON or a form, and more of its headers. */
export type Asked = { readonly path: string; readonly body?: object; readonly headers?: Record<string, string> };

/** Handles a request, as a handler of a service does. */
type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** Makes an agent that gives each question the same answer. */
export function steadyAgent(): Agent {
  return new Agent({ name: "helper", model: new ScriptedModel().respond(() => "Yes.") });
}

/**
 * Serves a handler below a path while `visitor` runs: a default that depends on the path could not be told from `/`.
 * Requests that the handler passes on are answered by 404.
 */
export async function whileServed<Seen>(handler: Handler, visitor: (url: string) => Promise<Seen>): Promise<Seen> {
  const server = createServer(express().use("/below", handler)).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await visitor(`http://127.0.0.1:${(server.address() as AddressInfo).port}/below`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Sends requests one after the other, and returns the answers as text. */
export async function visit(handler: Handler, asked: readonly Asked[]): Promise<string[]> {
  return await whileServed(handler, async (url) => {
    const answers: string[] = [];
    for (const each of asked) answers.push(await answerTo(url, each));
    return answers;
  });
}

async function answerTo(url: string, { path, body, headers = {} }: Asked): Promise<string> {
  const isForm = body instanceof FormData;
  const response = await fetch(url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { ...(body !== undefined && !isForm && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  // A tag changes with the address in its document.
  const shown = [...response.headers].filter(([name]) => !["date", "etag", "last-modified"].includes(name));
  return `${path} ${response.status} ${JSON.stringify(shown)}\n${await response.text()}`;
}

/** Returns a form with a question and a text file. */
export function formWithFile(): FormData {
  const form = new FormData();
  form.append("input", "Hi");
  form.append("files", new Blob(["text"], { type: "text/plain" }), "a.txt");
  return form;
}
