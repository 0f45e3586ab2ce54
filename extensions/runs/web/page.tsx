import type { PageParts } from "#page/extensions";
import { replayText } from "#page/thread/replays/answers";
import { causeText } from "./cause";
import { CauseShown } from "./CauseShown";
import { ReplayShown } from "./ReplayShown";
import { RunAgain } from "./RunAgain";

/** Reports of replays and of searches for causes, and the command that runs an agent again. */
export const PAGE: PageParts = {
  events: { "agentlog.replay": ReplayShown, "agentlog.cause": CauseShown },
  texts: { "agentlog.replay": replayText, "agentlog.cause": causeText },
  Forking: RunAgain,
};
