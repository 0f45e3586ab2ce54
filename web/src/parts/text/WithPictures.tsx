import { Fragment, type ReactNode } from "react";
import { partsOf } from "./dataUri";
import styles from "./LongText.module.css";

/** A text whose pictures, data URIs, are drawn; `draw` draws the letters between them. */
export function withPictures(text: string, draw: (text: string) => ReactNode): ReactNode {
  return partsOf(text).map((part, index) => {
    if ("text" in part) return <Fragment key={index}>{draw(part.text)}</Fragment>;
    if (!part.isDrawn) {
      return (
        <span key={index} className="address">
          {`[${part.name}]`}
        </span>
      );
    }
    return <img key={index} className={styles["picture"]} src={part.uri} alt={part.name} />;
  });
}
