/** Whether an answer has the mark. Of digits that stand in a longer number, such as a time of /metrics, it does not. */
export const holds = (answer: string, mark: string): boolean =>
  answer.includes(mark) && (!/^\d+$/.test(mark) || new RegExp(`(?<![\\d.])${mark}(?!\\d)`).test(answer))
