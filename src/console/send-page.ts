export { sendHtml as sendPage } from './send-html.ts'
