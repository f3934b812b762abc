/** Watches the cluster and acts: the look-ups that admission asks for, and what is done to pods that got a gate. */
@NullMarked
package io.kubevirt.ferry.controller;

import org.jspecify.annotations.NullMarked;
