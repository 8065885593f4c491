import { pageLanguage } from "../words.ts";
import WORDS from "./tradeWords.json" with { type: "json" };

/** What the page says of one trade. */
export const tradeWords = () => WORDS[pageLanguage()];
