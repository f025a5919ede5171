import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import { expect, it, onTestFinished } from "vitest";
import { readDemoUser, welcomeVisitor } from "./demo-users.ts";

async function serve(): Promise<string> {
  const app = express();
  app.get("/", welcomeVisitor);
  app.use((request, response) => {
    const headers = new Headers(request.headers as Record<string, string>);
    const facts = { protocol: "http", method: "GET", path: "/x", remoteAddress: undefined, principal: undefined };
    response.json(readDemoUser({ ...facts, headers, native: request }) ?? null);
  });
  const server = app.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("a browser that opens the page becomes a user of its own, and stays the same one", async () => {
  const url = await serve();
  const first = await fetch(url);
  const cookie = first.headers.get("set-cookie") ?? "";
  const sent = { cookie: `theme=dark; ${cookie.split(";")[0]}` };
  const again = await fetch(url, { headers: sent });

  expect(cookie).toMatch(/HttpOnly; SameSite=Strict$/);
  expect(again.headers.get("set-cookie")).toBeNull();
  expect(await again.json()).toEqual({ userId: expect.stringMatching(/^visitor-[\da-f-]{36}$/) as string });
  const named = await fetch(`${url}/x`, { headers: { ...sent, "x-demo-user": "grace" } });
  expect(await named.json()).toEqual({ userId: "grace" });
});

it.each(["", "troupe_demo_visitor=grace", "other_troupe_demo_visitor=visitor-1"])(
  "the cookie %j makes its sender no user",
  async (cookie) => {
    const answer = await fetch(`${await serve()}/x`, { headers: { cookie } });

    expect(await answer.json()).toBeNull();
  },
);
