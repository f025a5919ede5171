import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { ScriptedModel } from "@troupe/core/testing";

const model = new ScriptedModel().respond(() => "The next ferry leaves at 14:05.");
const port = 0;
const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 26 26"><path d="M3 18h20l-3 5H6zM13 3v13H5z"/></svg>`;

// #region readme
import { Agent } from "@troupe/core";
import { createRouter, createService } from "@troupe/core/service";
import { http } from "@troupe/http";
import { page } from "@troupe/page";
import express from "express";

const agents = {
  ferries: new Agent({ name: "ferries", description: "Knows the timetable.", model }),
  luggage: new Agent({ name: "luggage", description: "Knows what may come along.", model }),
  "back-office": new Agent({ name: "back-office", description: "Answers our own systems.", model }),
};
const service = createService({ agents });

const branded = page({
  title: "Fjord Lines",
  welcome: "Where to?",
  logo: "/brand/logo.svg",
  accent: { light: "#00695c", dark: "#80cbc4" },
  fonts: "system",
  languages: ["en", "de"],
  keys: false,
  show: ["ferries", "luggage"],
  suggestions: {
    ferries: ["When does the next ferry leave?"],
    luggage: ["May I take my bicycle along?"],
  },
});

const app = express();
app.get("/brand/logo.svg", (_, response) => void response.type("svg").send(logo));
app.use(createRouter(service, [http(), branded]));
const server = app.listen(port);
// #endregion

await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const document = await (await fetch(url, { headers: { "accept-language": "de-AT" } })).text();
const settings = (/data-settings="([^"]*)"/.exec(document)?.[1] ?? "").replaceAll("&#34;", '"');
const answer = await fetch(`${url}/agents/back-office/run`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ input: "When?" }),
});

assert.match(document, /<html lang="de"[^]*<title>Fjord Lines<\/title>/);
assert.deepEqual((JSON.parse(settings) as { shown: unknown }).shown, ["ferries", "luggage"]);
assert.doesNotMatch(document, /woff2/);
assert.equal((await fetch(`${url}/brand/logo.svg`)).headers.get("content-type"), "image/svg+xml; charset=utf-8");
// A hidden agent is still served.
assert.equal(answer.status, 200);
assert.throws(() => createRouter(service, [page({ show: ["ferry"] })]), /names "ferry"/);

server.close();
server.closeAllConnections();
await service.close();
