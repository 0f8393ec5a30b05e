import { notAccepted, type Rule, show } from "../rule.ts";
import { entryOf, groupOf } from "../vocabulary.ts";

export const targetServiceType: Rule = {
  code: "TARGET_SERVICE_TYPE_UNSUPPORTED",
  severity: "error",
  summary: "The deploy target does not run services of this type.",
  explanation:
    "PM2-managed targets run REST and realtime services, functions targets run functions only. The capability matrix lists what each target runs.",
  remedy: "Choose a service type that the message lists, or another deploy target: `svcm matrix show` has both.",
  check({ entry: { deployTarget, serviceType }, vocabulary }) {
    const group = groupOf(vocabulary, deployTarget);
    if (!group || entryOf(vocabulary.matrix.serviceTypes, serviceType) === undefined) return [];
    if (group.serviceTypes.includes(String(serviceType))) return [];
    return [notAccepted("serviceType", `${show(deployTarget)} does not run ${show(serviceType)}`, group.serviceTypes)];
  },
};
