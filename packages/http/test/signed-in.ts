import { Agent } from "@troupe/core";
import type { StorageDriver, Memory } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import type { RequestHandler } from "express";
import { expect } from "vitest";
import type { Service } from "./service.ts";

/** Signs a request in as the user that its headers name. */
export const signIn: RequestHandler = (request, _, next) => {
  const { "x-test-user": userId, "x-test-tenant": tenantId } = request.headers;
  if (typeof userId === "string") Object.assign(request, { principal: { userId, tenantId } });
  next();
};

/** The headers of users. */
export const ada = { headers: { "x-test-user": "ada" } };
export const bob = { headers: { "x-test-user": "bob" } };
export const adaElsewhere = { headers: { "x-test-user": "ada", "x-test-tenant": "t" } };

/** Makes an agent that stores its sessions here. */
export function agentOver(storage: StorageDriver, more: { memory?: Memory } = {}): Agent {
  return new Agent({ name: "a", model: new ScriptedModel().respond(() => "Hi."), storage, ...more });
}

/** The sender of a request, by its headers. */
export type Who = { headers?: Record<string, string> };

/** Runs an agent in a session, for Ada unless another user is given. */
export async function say(service: Service, place: string, who: Who = ada) {
  const [name, sessionId = ""] = place.split(" ");
  const { status } = await service.post(`/${name}/run`, { input: `In ${sessionId}.`, sessionId }, who.headers);
  expect(status).toBe(200);
}
