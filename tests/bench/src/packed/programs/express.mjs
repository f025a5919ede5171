import express from "express";
import { Pool } from "undici";
import { askTwice } from "./ask-twice.mjs";

const vendor = new Pool(process.env.BENCH_VENDOR_URL, { connections: 128 });
const app = express().use(express.json());
app.post("/agents/a/run", async (request, response) => {
  const answer = await vendor.request({
    path: "/v1/chat/completions",
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer none" },
    body: JSON.stringify({ model: "mock-1", messages: [{ role: "user", content: request.body.input }] }),
  });
  const { choices } = await answer.body.json();
  response.json({ text: choices[0].message.content });
});
askTwice(app);
