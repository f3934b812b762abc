/** What is decided before anything is written. */
@NullMarked
package io.kubevirt.ferry.controller;

import org.jspecify.annotations.NullMarked;
