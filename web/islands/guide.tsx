/** The guides below /docs: their style. */
import "../styles/docs.css";
