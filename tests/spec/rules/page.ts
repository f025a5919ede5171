import { rulesOf } from "../rule.ts";

/** Rules for the page to chat with agents, and for its inspector. */
export const pageRules = [
  ...rulesOf("Page", {
    "page.policy": "the page forbids inline scripts and styles, other hosts, frames and strings that become markup",
    "page.paths": "the page answers for its own paths alone, works at any mount path, and loads only its own files",
    "page.caching":
      "scripts and styles are kept by browsers under names with their hash; the document is asked for anew",
    "page.weight": "the document, the style sheet and the scripts of the chat weigh at most 60 KB compressed",
    "page.fonts":
      "texts have a web font that the page serves itself and shows once it is there; with the fonts of the system it asks for none",
    "page.shown":
      "the host chooses the agents, teams and workflows that the page shows: a single one leaves no choice, and an unknown name is refused at the start",
    "page.chat":
      "the page shows answers as they come: text, thoughts, tool calls with their results and artifacts, teams, workflows, uploads, tokens and times",
    "page.chart":
      "an artifact with the media type of charts is drawn by a library that is loaded with the first of them, and has its values as a table",
    "page.accessible":
      "the page is used by keyboard, announces a whole answer once, has nothing that axe objects to, and fits 360 pixels, in light and dark",
    "page.reload": "an answer goes on after a reload in the middle of it",
    "page.kept":
      "runs that were stopped or failed, and runs of workflows, are still in their chat after a reload of the tab",
    "page.approval": "a tool that asks is approved or refused in the page, also by a browser that did not ask",
    "page.inbox":
      "all runs that wait for the caller are answered in one view, and those of others by whom the service lets see and answer them",
    "page.palette":
      "the actions, views, agents and chats are found by their words in a list that opens by Ctrl+K, by keyboard alone",
    "page.languages":
      "every text of the page is in the language that the browser prefers of those that the host offers, and so are dates and numbers",
    "page.rtl": "the page is laid out from right to left where its direction is, without overflow on a phone",
    "page.regenerate": "a turn is answered again, in the same words or in others",
    "page.stop": "an answer is stopped",
    "page.sessions": "sessions stand at the side, the newest first, and are renamed and deleted",
    "page.share":
      "where the host allows it, a chat is read by a link without signing in, as it was and without tools unless chosen, until the link ends, is revoked or loses its chat",
    "page.schedules":
      "a user's schedules are listed with their times, created by day, week, interval, date or cron expression, paused and deleted",
    "page.keys":
      "a vendor key is sent in the header of its vendor alone, never in a URL, and kept over a reload only on demand",
  }),
  ...rulesOf("Page: the inspector", {
    "page.run-tree":
      "a run is a tree of its model calls, tool calls, members, workflow steps and waits, also before its end",
    "page.workflow-graph":
      "a run of a workflow is drawn as a graph of all its declared steps, of every form, with what has run and what has not",
    "page.tree-keys": "the arrow keys go through the tree of steps, and open and close them",
    "page.time-scale": "the time of each step is a bar along that of the run, in which long pauses take little room",
    "page.inspector-view":
      "the inspector is loaded when it is opened, and shows a run under way over its waits to its end, by mouse and by keyboard",
    "page.hostile":
      "hostile answers, tool results, titles and file names make no markup, no script and no request, and reach no key",
    "page.inspector-runs":
      "the runs are listed newest first with their questions, by pages, status, name, session, time and text, and no request reads them all",
    "page.overview":
      "runs, errors, times and tokens are shown by agent and day, of a bounded number of runs, and the list is narrowed by tokens and time",
    "page.inspector-run": "of a run the inspector has its input and, of a workflow, its steps",
    "page.inspector-events":
      "the events of a run are sent as they come, and go on behind the last one that a reader has",
    "page.inspector-calls": "a model call that the host keeps is shown as it was sent, without the key",
    "page.inspector-again":
      "a kept model call is made again with an offered model for those who see it, without a call of a tool, with the caller's key and as the caller's usage",
    "page.inspector-reads":
      "the inspector changes nothing: it answers GET and HEAD alone, and POST for a model call that is made again",
    "page.inspector-owner": "a caller sees own runs, and all only when the host's authorize returns true",
    "page.inspector-loopback":
      "without authorize the inspector answers programs on the same machine alone: no proxy, no other host name, no other site",
    "page.inspector-secrets": "the inspector shows no key and, to a user, nothing of an exception",
    "page.inspector-bounds": "what the inspector sends of a value is of bounded size, however long and deep it is",
  }),
];
