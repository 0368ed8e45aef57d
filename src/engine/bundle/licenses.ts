/** The `LICENSES` entry of a bundle: under which terms its parts may be used, and where they come from. */
export const licensesText = `Decision Workbench bundle
=========================

This bundle was made by Decision Workbench, which is licensed under the Apache License, Version 2.0
(http://www.apache.org/licenses/LICENSE-2.0). The rules, the feature plan, the classifier, the reason codes, the
golden decisions and the model card come from the data of whoever trained the policy and belong to them.
`;

/** The `LICENSES` entry of a bundle with the text model inside; `license` says where it is from, and on which terms. */
export const withTextModelLicense = (license: string): string => `${licensesText}\nText model\n----------\n${license}`;
