import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import express from "express";
import { askTwice } from "./ask-twice.mjs";

const model = new ScriptedModel().respond(() => ({ text: "Hello." }));
askTwice(express().use(createAgentRouter({ agents: { a: new Agent({ name: "a", model }) } })));
