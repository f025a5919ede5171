import { expect, it } from "vitest";
import { stemWord } from "./stem-word.ts";

// The stems are those of SQLite's tokenizer `porter`, so that words match alike in both stores.
it.each(
  `rains rain, rained rain, raining rain, caresses caress, ponies poni, ties ti, caress caress, cats cat, feed feed,
  agreed agre, plastered plaster, bled bled, motoring motor, sing sing, conflated conflat, troubled troubl, sized size,
  hopping hop, tanned tan, falling fall, hissing hiss, fizzed fizz, failing fail, filing file, happy happi, sky sky,
  yes ye, yearly yearli, toys toi, relational relat, conditional condit, valenci valenc, digitizer digit,
  decisiveness decis, sensibiliti sensibl, triplicate triplic, formative form, electrical electr, hopeful hope,
  goodness good, revival reviv, adjustable adjust, replacement replac, adjustment adjust, adoption adopt,
  nation nation, creation creation, homologous homolog, bowdlerize bowdler, probate probat, rate rate, cease ceas,
  controll control, roll roll, generalizations gener, oscillators oscil, is is, a a`
    .split(/,\s*/)
    .map((pair) => pair.split(" ") as [string, string]),
)("the stem of %s is %s", (word, stem) => {
  expect(stemWord(word)).toBe(stem);
});

it.each(["été", "rains2", "Rains", "дожди", "", "東 京"])("%j, which is not an English word, stays", (word) => {
  expect(stemWord(word)).toBe(word);
});
