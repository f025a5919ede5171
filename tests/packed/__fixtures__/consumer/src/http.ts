import { buildMultiModalInput, createAgentRouter, errorHandler, requestLogger } from "@troupe/http";
import type { HostRunOptions } from "@troupe/core";
import type { ServiceRequest } from "@troupe/core/service";
import type { RouterOptions } from "@troupe/http";
import express from "express";

// Both forms of both handlers, with the types that come with the package.
const runOptions = ({ remoteAddress }: ServiceRequest): HostRunOptions => ({ metadata: { ip: remoteAddress } });
const options: RouterOptions = { runOptions, middleware: [requestLogger] };

const app = express();
app.use(requestLogger);
app.use(requestLogger());
app.use("/api", createAgentRouter(options));
app.use(errorHandler);
app.use(errorHandler({}));
app.use([errorHandler]);

// The fields of a request that a host sets and reads, without a declaration of its own.
app.use((request, _response, next) => {
  request.principal = { userId: "ada", tenantId: "north" };
  next();
});
app.post("/summary", async (request, response) => {
  const sizes = request.files?.map(({ size }) => size);
  response.json({ sizes, input: await buildMultiModalInput(request.body, request.files) });
});
